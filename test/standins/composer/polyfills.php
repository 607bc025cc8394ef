<?php

// Functions for which upstream's packages require symfony/polyfill-*, and Debian's do not.

// PHP 8.4 has these, and so has Debian's next release.
if (!function_exists('array_find')) {
    function array_find(array $array, callable $callback): mixed
    {
        foreach ($array as $key => $value) {
            if ($callback($value, $key)) {
                return $value;
            }
        }
        return null;
    }

    function array_any(array $array, callable $callback): bool
    {
        foreach ($array as $key => $value) {
            if ($callback($value, $key)) {
                return true;
            }
        }
        return false;
    }

    function array_all(array $array, callable $callback): bool
    {
        return !array_any($array, static fn (mixed $value, mixed $key): bool => !$callback($value, $key));
    }
}

// Debian's symfony/string takes these from ext-intl, upstream's from symfony/polyfill-intl-* where that is not there. For
// ASCII, which is in one form alone, they need no tables.

if (!class_exists('Normalizer')) {
    class Normalizer
    {
        public const FORM_D = 4;
        public const FORM_KD = 8;
        public const FORM_C = 16;
        public const FORM_KC = 32;
        public const NFD = 4;
        public const NFKD = 8;
        public const NFC = 16;
        public const NFKC = 32;

        public static function isNormalized(string $string, int $form = self::FORM_C): bool
        {
            return true;
        }

        public static function normalize(string $string, int $form = self::FORM_C): string
        {
            return $string;
        }
    }

    function normalizer_is_normalized(string $string, int $form = Normalizer::FORM_C): bool
    {
        return true;
    }

    function normalizer_normalize(string $string, int $form = Normalizer::FORM_C): string
    {
        return $string;
    }

    function grapheme_strlen(string $string): int
    {
        return mb_strlen($string);
    }

    function grapheme_substr(string $string, int $offset, ?int $length = null): string
    {
        return mb_substr($string, $offset, $length);
    }

    function grapheme_strpos(string $haystack, string $needle, int $offset = 0): int|false
    {
        return mb_strpos($haystack, $needle, $offset);
    }

    function grapheme_strrpos(string $haystack, string $needle, int $offset = 0): int|false
    {
        return mb_strrpos($haystack, $needle, $offset);
    }
}
