<?php

// All other settings are Laravel's defaults.
return [
    'name' => env('APP_NAME', 'A shop'),
    // Of an app that keeps no secrets.
    'key' => env('APP_KEY', 'base64:cGhwLXJ1bnRpbWUtYmVuY2g6IG5vdCBhIHNlY3JldC4='),
    // Whole pages are kept for a while, as shops do; RESPONSE_CACHE=false makes each anew.
    'response-cache' => (bool) env('RESPONSE_CACHE', true),
];
