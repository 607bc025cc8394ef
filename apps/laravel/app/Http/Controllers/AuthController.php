<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\AccessToken;
use App\Models\User;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Hash;

/** The journey of the article on a load test of Laravel: register, log in, ask who I am. */
final class AuthController extends Controller
{
    public function register(Request $request): JsonResponse
    {
        $data = $request->validate([
            'name' => ['required', 'string', 'max:255'],
            'email' => ['required', 'email', 'max:255', 'unique:users'],
            'password' => ['required', 'string', 'min:8'],
        ]);
        $user = User::create(['password' => Hash::make($data['password'])] + $data);
        return response()->json(['token' => AccessToken::issue($user)], 201);
    }

    public function login(Request $request): JsonResponse
    {
        $data = $request->validate(['email' => ['required', 'email'], 'password' => ['required', 'string']]);
        $user = User::firstWhere('email', $data['email']);
        if ($user === null || !Hash::check($data['password'], $user->password)) {
            return response()->json(['message' => 'These credentials do not match our records.'], 401);
        }
        return response()->json(['token' => AccessToken::issue($user)]);
    }

    public function user(Request $request): JsonResponse
    {
        return response()->json($request->user());
    }
}
