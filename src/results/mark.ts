/** The first words of the `.gitignore` in a new output folder: it shows that the folder has results of a run. */
export const RESULTS_MARK = '# Made by php-runtime-bench.';
