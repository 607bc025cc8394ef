<?php

declare(strict_types=1);

namespace App;

/** In place of a database: rows that are the same everywhere, about 200 bytes of JSON each. */
final class Customers
{
    private const CITIES = ['Riga', 'Łódź', 'Oslo', 'Köln', '東京', 'Porto', 'Brno', 'Lyon'];

    /** @return list<array<string, mixed>> */
    public function first(int $count): array
    {
        $rows = [];
        $number = 1;
        for ($id = 1; $id <= $count; $id++) {
            // Knuth's multiplier, within 31 bits.
            $number = ($number * 1_103_515_245 + 12_345) & 0x7fffffff;
            $rows[] = [
                'id' => $id,
                'name' => "Customer $id",
                'email' => "customer$id@example.org",
                'active' => $number % 3 !== 0,
                'balance' => ($number % 1_000_000) / 100,
                'since' => gmdate('Y-m-d\TH:i:s\Z', 1_700_000_000 + $number % 31_536_000),
                'address' => ['street' => $number % 200 . ' Main Street', 'city' => self::CITIES[$number % 8]],
            ];
        }
        return $rows;
    }
}
