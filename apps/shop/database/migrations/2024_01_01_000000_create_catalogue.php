<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class () extends Migration {
    public function up(): void
    {
        Schema::create('categories', static function (Blueprint $table): void {
            $table->id();
            $table->string('name');
        });
        Schema::create('products', static function (Blueprint $table): void {
            $table->id();
            $table->foreignId('category_id')->constrained();
            $table->string('name')->index();
            $table->text('description');
            $table->unsignedInteger('cents')->index();
            $table->unsignedInteger('stock');
        });
    }
};
