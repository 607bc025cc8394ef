/** The exit codes of a run that has results; docs/architecture.md lists all codes. */
export type ExitCode = 0 | 1 | 3 | 4 | 130 | 143;

/** The place of a bad value: a file with a line, a flag, an action input or an environment variable. */
export interface Place {
  /** `.bench.yml`, `--runtimes`, `input runtimes` … */
  name: string;
  /** 1-based, for files. */
  line?: number;
}

interface UserErrorDetail {
  where?: Place;
  found?: string;
  allowed?: string;
  /** How to fix it: `did you mean 'workers'?`, a command to run … */
  hint?: string;
}

/** All but line breaks: what was found may be anybody's, and a terminal obeys these. */
const CONTROL = /[^\P{Cc}\n]/gu;

/**
 * Something that the user can fix. Printed as one message without a stack trace; exit code 2. Anything else that is
 * thrown is an internal error and keeps its stack trace.
 */
export class UserError extends Error {
  override name = 'UserError';
  readonly exitCode: 2 | 4 = 2;
  readonly detail: UserErrorDetail;

  constructor(message: string, detail: UserErrorDetail = {}) {
    super(message);
    this.detail = detail;
  }

  /** The whole message: `.bench.yml:3: unknown key 'runtime'` and below it what was found, what is allowed, how to fix it. */
  format(): string {
    const { where, found, allowed, hint } = this.detail;
    const place = where ? `${where.name}${where.line ? `:${where.line}` : ''}: ` : '';
    return [
      `${place}${this.message}`,
      found === undefined ? '' : `  found:   ${found}`,
      allowed === undefined ? '' : `  allowed: ${allowed}`,
      hint === undefined ? '' : `  hint:    ${hint}`,
    ]
      .filter(Boolean)
      .join('\n')
      .replaceAll(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }
}

/** The engine or the machine failed: neither what the user has written nor this tool is wrong. Exit code 4. */
export class MachineError extends UserError {
  override name = 'MachineError';
  override readonly exitCode = 4;
}

/** Error codes of the system for resources that are used up or broken. */
const USED_UP: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the limit on the size of files is reached',
  EROFS: 'the file system is read-only',
  EIO: 'the disk has an I/O error',
  EMFILE: 'this process has no file descriptors left',
  ENFILE: 'the machine has no file descriptors left',
  EAGAIN: 'the machine starts no more processes',
  ENOMEM: 'the machine has no memory left',
};

/** An error of the system as one of the machine; null where it is something else. */
export function readMachineError(error: unknown): MachineError | null {
  if (error instanceof MachineError) return error;
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const what = USED_UP[code];
  return what === undefined ? null : new MachineError(what, { found: message });
}

/** The run was stopped by a signal; the exit code is 128 + its number. */
export class Stopped extends Error {
  override name = 'Stopped';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }

  get exitCode(): 130 | 143 {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}
