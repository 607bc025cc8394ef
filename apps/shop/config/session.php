<?php

return ['driver' => env('SESSION_DRIVER', 'file')];
