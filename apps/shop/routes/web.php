<?php

use App\Http\Controllers\CartController;
use App\Http\Controllers\ShopController;
use Illuminate\Support\Facades\Route;

Route::middleware('page-cache')->group(static function (): void {
    Route::get('/', [ShopController::class, 'home']);
    Route::get('/category/{category}', [ShopController::class, 'category']);
    Route::get('/product/{product}', [ShopController::class, 'product']);
    Route::get('/search', [ShopController::class, 'search']);
});
Route::get('/cart', [CartController::class, 'show']);
Route::post('/cart', [CartController::class, 'add']);
