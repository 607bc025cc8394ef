/** Retries for a server that is in trouble or limits our requests. */
const RETRIES = 3;
/** A job that waits costs its user money. */
const MAX_WAIT_MS = 90_000;
/** GitHub asks for a minute at least if it does not give a time. */
const LIMITED_MS = 60_000;

/** Errors of Octokit's; without a status there was no answer. */
export interface Failed {
  status?: number;
  message: string;
  response?: { headers: Readonly<Record<string, string | number | undefined>> } | undefined;
}

export interface Patience {
  wait(ms: number): Promise<unknown>;
}

/**
 * Tries again where that may help: when a limit is over, or after an error of the server or no answer. The latter only
 * if nobody can have been served twice (`repeatable`).
 */
export async function retry<T>(act: () => Promise<T>, repeatable: boolean, { wait }: Patience): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await act();
    } catch (error) {
      const ms = delayOf(error as Failed, tried, repeatable);
      if (ms === null || tried === RETRIES) throw error;
      await wait(ms);
    }
  }
}

/** Null: trying again is of no use. */
function delayOf(error: Failed, tried: number, repeatable: boolean): number | null {
  const limit = limitOf(error);
  if (limit !== null) return limit <= MAX_WAIT_MS ? limit : null;
  return repeatable && isTransient(error) ? 1000 * 2 ** tried : null;
}

/** The wait, ms, after a request that was refused as one too many: nothing was done. Null: it was not. */
function limitOf({ status, message, response }: Failed): number | null {
  const headers = response?.headers ?? {};
  const isUsedUp = String(headers['x-ratelimit-remaining']) === '0';
  // By the server's clock, in whole seconds.
  const untilReset = 1000 * Number(headers['x-ratelimit-reset']) - Date.parse(String(headers.date));
  const asked =
    [1000 * Number(headers['retry-after']), isUsedUp ? untilReset : 0].find((ms) => ms > 0) ?? null;
  if (status === 429) return asked ?? LIMITED_MS;
  if (status !== 403) return null;
  // GitHub's limits may also come as 403, which otherwise means no. Those on bursts may show in the message alone.
  return asked ?? (isUsedUp || /rate limit/i.test(message) ? LIMITED_MS : null);
}

/** Whether it was refused as one request too many, which is no lack of permission. */
export function isLimited(error: Failed): boolean {
  return limitOf(error) !== null;
}

/** The server's trouble, not ours; what was asked may have been done nevertheless. */
export function isTransient({ status }: Failed): boolean {
  return status === undefined || status >= 500;
}

/**
 * `HTTP 503: Service unavailable`, or why there was no answer: to such a request Octokit gives the status 500. Names the
 * end of a limit that nobody waits for.
 */
export function describeApiError(error: Failed): string {
  const { status, message, response } = error;
  const limit = limitOf(error) ?? 0;
  const until = limit > MAX_WAIT_MS ? `; the limit ends in ${Math.ceil(limit / 60_000)} minutes` : '';
  const isAnswered = status !== undefined && (status !== 500 || response !== undefined);
  return isAnswered ? `HTTP ${status}: ${message}${until}` : message;
}

export const patience: Patience = { wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
