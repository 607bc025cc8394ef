import { cleanLine, clip } from '../text/plain.ts';
import { duration } from './words/numbers.ts';

/**
 * Progress for people: one line that is written over on a terminal, plain lines elsewhere.
 *
 * @param columns how wide the terminal is now; null: it is none
 */
export function makeProgress(write: (text: string) => void, columns: () => number | null) {
  let shown = false;
  let last = '';
  const clear = () => {
    if (shown) write('\r\x1b[K');
    shown = false;
  };
  return {
    say(line: string): void {
      clear();
      // Build and server output is among these lines: no control characters of theirs reach the terminal.
      write(`${cleanLine(line)}\n`);
    },
    at(what: string, share: number, left: number): void {
      const name = cleanLine(what);
      // Something is still under way, and it may take longer than planned.
      const done = Math.min(99, Math.round(share * 100));
      const rest = left < 1 ? '' : `  about ${duration(left)} left`;
      const text = `${String(done).padStart(3)} %  ${name}${rest}`;
      const width = columns();
      if (width !== null) {
        clear();
        // A line that wraps cannot be written over, and some terminals wrap one that fills the last column.
        write(clip(text, Math.max(1, width - 1)));
        shown = true;
      } else if (what !== last) write(`${text}\n`);
      last = what;
    },
    end: clear,
  };
}
