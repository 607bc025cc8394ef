import { duration } from './numbers.ts';
import { cleanLine } from './text.ts';

/** Progress for people: one line that is written over on a terminal, plain lines elsewhere. */
export function makeProgress(write: (text: string) => void, terminal: boolean) {
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
      const text = `${String(Math.round(share * 100)).padStart(3)} %  ${what}  about ${duration(left)} left`;
      if (terminal) {
        clear();
        write(text);
        shown = true;
      } else if (what !== last) write(`${text}\n`);
      last = what;
    },
    end: clear,
  };
}
