<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;

return new class () extends Migration {
    public $withinTransaction = false;

    public function up(): void
    {
        if (DB::getDriverName() === 'sqlite') {
            // Readers and one writer at a time; the file remembers it.
            DB::statement('PRAGMA journal_mode = WAL');
        }
        Schema::create('users', static function (Blueprint $table): void {
            $table->id();
            $table->string('name');
            $table->string('email')->unique();
            $table->string('password');
            $table->rememberToken();
            $table->timestamps();
        });
        Schema::create('access_tokens', static function (Blueprint $table): void {
            $table->char('id', 64)->primary();
            $table->foreignId('user_id')->constrained();
            $table->timestamps();
        });
    }
};
