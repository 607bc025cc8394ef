<?php

declare(strict_types=1);

// One worker of RoadRunner: answers with the app what comes through the pipe.

use Spiral\RoadRunner\Http\HttpWorker;
use Spiral\RoadRunner\Http\Request;
use Spiral\RoadRunner\Worker;

// Before the app's own packages, which win where both have one.
require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';

/** The names of uploads are RoadRunner's own. */
function rename_uploads(array $uploads): array
{
    return array_map(static fn (array $file): array => isset($file['tmpName']) ? [
        'name' => $file['name'],
        'type' => $file['mime'],
        'tmp_name' => $file['tmpName'],
        'error' => $file['error'],
        'size' => $file['size'],
    ] : rename_uploads($file), $uploads);
}

function translate(Request $request): array
{
    $post = $request->getParsedBody();
    // Go keeps the host apart from the other headers.
    $host = (string) preg_replace('~^https?://([^/?]*).*~', '$1', $request->uri);
    return PhpRuntimeBench\request(
        $request->method,
        $request->uri,
        $request->headers + ['Host' => $host],
        // RoadRunner has read the form itself.
        $post === null ? $request->body : http_build_query($request->uploads === [] ? $post : []),
        $post,
        rename_uploads($request->uploads),
        ['REMOTE_ADDR' => $request->getRemoteAddr(), 'SERVER_PROTOCOL' => $request->protocol],
    );
}

$app = PhpRuntimeBench\load_app();
// Without its guard of stdout, which would do what load_app() has done.
$worker = new HttpWorker(Worker::create(interceptSideEffects: false));
$send = static function (array $response) use ($worker): void {
    $worker->respond($response['status'], $response['body'], $response['headers']);
};
while ($request = $worker->waitRequest()) {
    $app(translate($request), $send);
}
