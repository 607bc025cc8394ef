<?php

return [App\Providers\AuthServiceProvider::class];
