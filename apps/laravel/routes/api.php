<?php

use App\Http\Controllers\JsonController;
use Illuminate\Support\Facades\Route;

Route::get('/', JsonController::class);
