<?php

// All other settings are Laravel's defaults.
return [
    'type' => 'laravel',
    // Of an app that keeps no secrets.
    'key' => env('APP_KEY', 'base64:cGhwLXJ1bnRpbWUtYmVuY2g6IG5vdCBhIHNlY3JldC4='),
];
