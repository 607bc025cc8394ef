<?php

declare(strict_types=1);

namespace Database\Seeders;

use Illuminate\Database\Seeder;
use Illuminate\Support\Facades\DB;

/** 5,000 products in 20 categories, the same each time. */
final class DatabaseSeeder extends Seeder
{
    private const THINGS = [
        'Shoes', 'Jackets', 'Lamps', 'Chairs', 'Tables', 'Kettles', 'Knives', 'Bags', 'Tents', 'Bicycles',
        'Headphones', 'Keyboards', 'Cameras', 'Watches', 'Books', 'Puzzles', 'Plants', 'Rugs', 'Mirrors', 'Clocks',
    ];
    private const KINDS = ['Light', 'Sturdy', 'Small', 'Large', 'Quiet', 'Bright', 'Simple', 'Fine', 'Warm', 'Plain'];
    private const WORDS = [
        'made', 'for', 'every', 'day', 'of', 'oak', 'wool', 'steel', 'and', 'care', 'with', 'a', 'warranty', 'soft',
        'cotton', 'that', 'lasts', 'in', 'four', 'colours', 'by', 'hand', 'easy', 'to', 'clean',
    ];

    public function run(): void
    {
        DB::table('categories')->insert(array_map(
            static fn (int $id): array => ['id' => $id, 'name' => self::THINGS[$id - 1]],
            range(1, count(self::THINGS)),
        ));
        $seed = 1;
        $draw = static function (int $n) use (&$seed): int {
            $seed = ($seed * 1_103_515_245 + 12_345) & 0x7fffffff;
            return ($seed >> 8) % $n;
        };
        foreach (array_chunk(range(1, 5000), 250) as $ids) {
            DB::table('products')->insert(array_map(static function (int $id) use ($draw): array {
                $category = 1 + $id % count(self::THINGS);
                $words = array_map(static fn (): string => self::WORDS[$draw(count(self::WORDS))], range(1, 80));
                return [
                    'id' => $id,
                    'category_id' => $category,
                    'name' => self::KINDS[$draw(count(self::KINDS))] . ' ' . self::THINGS[$category - 1] . " $id",
                    'description' => ucfirst(implode(' ', $words)) . '.',
                    'cents' => 199 + $draw(50_000),
                    'stock' => $draw(500),
                ];
            }, $ids));
        }
    }
}
