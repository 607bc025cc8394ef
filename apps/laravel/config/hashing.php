<?php

return [
    'driver' => 'bcrypt',
    // Laravel's default until version 10. Since then it is 12, and hashing would be nearly all that the journey costs.
    'bcrypt' => ['rounds' => env('BCRYPT_ROUNDS', 10)],
];
