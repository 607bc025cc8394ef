/** After so long a run that cleans up is waited for no more, ms. */
const CLEAN_UP_MS = 120_000;

/**
 * For errors that nobody has caught, where Node itself would end with 1: that means a missed criterion here. A run in
 * progress ends as after a signal: it keeps what it has measured and removes its containers. The exit code is always
 * 70.
 */
export function installLastResort(report: (text: string) => void): void {
  let failed = false;
  const fail = (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report(`internal error, please report it: ${text}`);
    const again = failed;
    failed = true;
    if (again) return;
    process.once('exit', () => {
      process.exitCode = 70;
    });
    if (process.listenerCount('SIGTERM') === 0) process.exit(70);
    process.emit('SIGTERM', 'SIGTERM');
    setTimeout(() => process.exit(70), CLEAN_UP_MS).unref();
  };
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
}
