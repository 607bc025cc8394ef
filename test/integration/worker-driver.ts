/** runtimes/_shared/worker.php in the PHP of the command line, without a server around it. */
import { join } from 'node:path';
import { root, runToEnd } from './docker.ts';

export interface Sent {
  uri?: string;
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  files?: Record<string, unknown>;
  /** With the cookie that came last. */
  again?: boolean;
}

// Asks the app one after the other; what comes back is printed after a line, since all else goes to stderr.
const driver = `
require '/shared/worker.php';
$app = PhpRuntimeBench\\load_app('/app');
$answers = [];
$cookie = '';
foreach (json_decode($argv[1], true) as $sent) {
  $headers = ($sent['headers'] ?? []) + ($sent['again'] ?? false ? ['Cookie' => $cookie] : []);
  $request = PhpRuntimeBench\\request($sent['method'] ?? 'GET', $sent['uri'] ?? '/state', $headers, $sent['body'] ?? '',
    null, $sent['files'] ?? []);
  $order = [];
  $answer = $app($request, function (array $response) use (&$order) { $order[] = $response['status']; });
  $cookie = strtok($answer['headers']['Set-Cookie'][0] ?? $cookie, ';');
  // JSON of a large one would be too large.
  if (strlen($answer['body']) > 1 << 20) $answer['body'] = strlen($answer['body']) . ' bytes';
  $answers[] = $answer + ['sent' => $order, 'level' => ob_get_level()];
}
fwrite(STDOUT, json_encode($answers));
`;

export interface Answer {
  status: number;
  headers: Record<string, string[]>;
  /** Of more than 1 MB its size. */
  body: string;
  /** Statuses that the callback got. */
  sent: number[];
  /** Output buffers that are open after it. */
  level: number;
}

/** Answers of the app in the image's /app, and the text on stderr. `flags` are those of docker run. */
export async function drive(
  image: string,
  requests: readonly Sent[],
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: string[] } = {},
): Promise<{ code: number; stderr: string; answers: Answer[] }> {
  const { code, stdout, stderr } = await runToEnd(
    ...['--user', '33:33', '--entrypoint', 'php', ...flags],
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...['--volume', `${join(root, 'runtimes/_shared')}:/shared:ro`],
    ...[image, '-c', '/shared/php.ini', '-r', driver, JSON.stringify(requests)],
  );
  return { code, stderr, answers: (code === 0 ? JSON.parse(stdout) : []) as Answer[] };
}
