<?php

declare(strict_types=1);

require __DIR__ . '/../app.php';

$headers = [];
foreach ($_SERVER as $name => $value) {
    if (str_starts_with((string) $name, 'HTTP_')) {
        $headers[strtolower(strtr(substr($name, 5), '_', '-'))] = (string) $value;
    }
}

$response = App\handle([
    'path' => rawurldecode((string) parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH)),
    'query' => $_GET,
    'headers' => $headers,
]);

http_response_code($response['status']);
foreach ($response['headers'] as $name => $value) {
    header("$name: $value");
}
echo $response['body'];
