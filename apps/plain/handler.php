<?php

declare(strict_types=1);

// For servers that keep the app in memory: they call this for each request. The others run public/index.php.

require_once __DIR__ . '/app.php';

return App\handle(...);
