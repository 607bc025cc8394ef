<?php

use App\Http\Controllers\AuthController;
use App\Http\Controllers\JsonController;
use Illuminate\Support\Facades\Route;

Route::get('/', JsonController::class);

Route::post('/register', [AuthController::class, 'register']);
Route::post('/login', [AuthController::class, 'login']);
Route::get('/user', [AuthController::class, 'user'])->middleware('auth:api');
