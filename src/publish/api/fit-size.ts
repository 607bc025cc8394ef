/** GitHub refuses comments of more characters than this. */
export const COMMENT_CHARACTERS = 65_536;
/** GitHub drops a step's summary of more than 1 MiB, all of it. The line break that is written behind the text counts. */
export const SUMMARY_BYTES = 1_048_575;

/** The last resort: Markdown is never cut, since half a table breaks the page. */
export const TOO_LONG = 'The report is too long to show here. It is in the artifact of the run.';

/** The first of several renderings, fullest first, that fits. */
export function firstThatFits(stages: readonly string[], fits: (text: string) => boolean): string {
  return stages.find(fits) ?? TOO_LONG;
}
