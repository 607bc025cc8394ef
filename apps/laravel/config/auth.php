<?php

return [
    'defaults' => ['guard' => 'api'],
    // Found by App\Providers\AuthServiceProvider.
    'guards' => ['api' => ['driver' => 'access-token']],
];
