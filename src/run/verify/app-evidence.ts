import { readComplaint } from '../../engine/complaint.ts';
import type { Evidence, Failure, Measurement } from '../../results/results.ts';
import { advise } from '../../text/advice.ts';
import { fileNameOf } from '../../text/file-name.ts';
import { ITS_LOG } from '../../text/log-cause.ts';
import { readable, readMessage } from '../../text/readable.ts';
import type { Server } from '../servers/servers.ts';
import type { Engine, Sink } from '../world.ts';
import type { Answer } from './verify.ts';

/** The beginning of a body as text. */
const BODY_CHARACTERS = 2048;
/** In a sentence. */
const SAID_CHARACTERS = 160;

/**
 * The failure of a variant that answers what it should not. It has the answer and what the app has logged since the
 * request. The reason has the most informative line of either. The whole answer goes to raw/.
 */
export async function explainFailure(
  { docker }: Engine,
  sink: Pick<Sink, 'keepRaw'>,
  { variant, container }: Server,
  stage: Failure['stage'],
  reason: string,
  answer: Answer | null,
): Promise<Failure> {
  const { log, complaint } = await readComplaint(docker, container, answer?.askedMs ?? null);
  if (answer === null) return { stage, reason, log };
  const shown = showAnswer(answer);
  await keepEvidence(sink, variant.id, reason, { ...shown, body: answer.body || shown.body }, log);
  return { stage, reason: `${reason}${tell(reason, complaint, shown)}`, log, answer: shown };
}

/** The failure of a variant whose slice was not of what was checked. */
export async function explainSlice(
  { docker }: Engine,
  sink: Pick<Sink, 'keepRaw'>,
  { variant, container }: Server,
  slice: Pick<Measurement, 'errors' | 'others'>,
  reason: string,
  sinceMs: number,
): Promise<Failure> {
  const { log, complaint } = await readComplaint(docker, container, sinceMs);
  const { others, errors } = slice;
  const answer = errors.find((e) => e.kind === others?.kind && e.endpoint === others.endpoint)?.answer;
  const told = answer ? tell('', complaint, answer) : complaint === null ? '' : `${ITS_LOG}${complaint}`;
  if (answer) await keepEvidence(sink, variant.id, reason, answer, log);
  return { stage: 'run', reason: `${reason}${told}`, log, ...(answer && { answer }) };
}

/** Keeps the answer to the first failed request of a start, and adds the app's log during the load to the slice. */
export async function addLog(
  { docker }: Engine,
  sink: Pick<Sink, 'keepRaw'>,
  { variant, container }: Server,
  slice: Pick<Measurement, 'errors'>,
  sinceMs: number,
): Promise<void> {
  const error = slice.errors.find(({ answer }) => answer !== undefined) ?? slice.errors[0];
  if (!error) return;
  const { log } = await readComplaint(docker, container, sinceMs);
  if (log) error.log = log;
  const what = `${error.kind} at ${error.endpoint}`;
  await keepEvidence(sink, variant.id, what, error.answer ?? { status: 0, headers: '', body: '' }, log);
}

function showAnswer({ status, headers = '', error, body, text = body }: Answer): Evidence {
  return { status, headers, body: readable((status === 0 ? error : text).slice(0, BODY_CHARACTERS)) };
}

/** A log shows it best; what is wrong with the body itself is in the reason. */
function tell(reason: string, complaint: string | null, { status, body }: Evidence): string {
  if (complaint !== null) return `${ITS_LOG}${complaint}${advise(complaint)}`;
  if (status === 0 || / answers differently from /.test(reason)) return '';
  const said = readMessage(body, SAID_CHARACTERS);
  return said && `; its text: ${said}${advise(said)}`;
}

async function keepEvidence(
  { keepRaw }: Pick<Sink, 'keepRaw'>,
  variant: string,
  what: string,
  { status, headers, body }: Evidence,
  log: string,
): Promise<void> {
  await keepRaw(
    `raw/answers/${fileNameOf(variant)}.txt`,
    `${what}\n\nHTTP ${status}\n${headers}\n\n${body}\n\nlog:\n${log}`,
  );
}
