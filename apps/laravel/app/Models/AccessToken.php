<?php

declare(strict_types=1);

namespace App\Models;

use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Eloquent\Relations\BelongsTo;
use Illuminate\Support\Str;

/** A token that a client shows instead of a password; only its hash is kept, as in Laravel Sanctum. */
final class AccessToken extends Model
{
    public $incrementing = false;

    protected $keyType = 'string';
    protected $guarded = [];

    public static function hash(string $token): string
    {
        return hash('sha256', $token);
    }

    /** A new token, in the one moment in which it is known. */
    public static function issue(User $user): string
    {
        $token = Str::random(40);
        self::create(['id' => self::hash($token), 'user_id' => $user->id]);
        return $token;
    }

    public function user(): BelongsTo
    {
        return $this->belongsTo(User::class);
    }
}
