<?php

return [
    'driver' => 'bcrypt',
    // Laravel 10's own default. Half of what the journey costs is this.
    'bcrypt' => ['rounds' => env('BCRYPT_ROUNDS', 10)],
];
