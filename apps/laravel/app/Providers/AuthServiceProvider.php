<?php

declare(strict_types=1);

namespace App\Providers;

use App\Models\AccessToken;
use App\Models\User;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\ServiceProvider;

final class AuthServiceProvider extends ServiceProvider
{
    public function boot(): void
    {
        Auth::viaRequest('access-token', static function (Request $request): ?User {
            $token = $request->bearerToken();
            return $token === null ? null : AccessToken::find(AccessToken::hash($token))?->user;
        });
    }
}
