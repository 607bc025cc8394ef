<?php

declare(strict_types=1);

require_once __DIR__ . '/../app.php';

$body = Differs\text(Differs\answer(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)));
header('Content-Type: text/plain');
echo $body;
