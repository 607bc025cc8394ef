/** Extensions by the functions that they have. Those that the official images have are missing nowhere. */
const FUNCTIONS: readonly (readonly [RegExp, string])[] = [
  [/^(mysqli|pg|gmp|ldap|exif|imap|ftp|pcntl|apcu|ssh2|tidy)_\w+$/, ''],
  [
    /^image(create|color|copy|alpha|save|filled|ttf|string)\w*$|^image(jpeg|png|gif|webp|line|scale|s[xy])$|^gd_info$/,
    'gd',
  ],
  [/^(_|d?n?gettext|textdomain|bind_?textdomain(_codeset)?)$/, 'gettext'],
  [/^(idn_to|intl|collator|numfmt|datefmt|locale|normalizer|grapheme|transliterator)_\w+$/, 'intl'],
  [/^bc(add|sub|mul|div|mod|pow|powmod|sqrt|comp|scale)$/, 'bcmath'],
  [/^(cal|easter)_\w+$|^(gregoriantojd|jdtogregorian)$/, 'calendar'],
  [/^socket_\w+$/, 'sockets'],
];

/** Those whose name is not that of the extension. */
const NAMES: Readonly<Record<string, string>> = { pg: 'pgsql' };

const CLASSES: Readonly<Record<string, string>> = {
  ...{ mysqli: 'mysqli', Redis: 'redis', Memcached: 'memcached', Imagick: 'imagick', XSLTProcessor: 'xsl' },
  ...{
    Locale: 'intl',
    Collator: 'intl',
    NumberFormatter: 'intl',
    IntlDateFormatter: 'intl',
    MessageFormatter: 'intl',
  },
  ...{ Normalizer: 'intl', Transliterator: 'intl', IntlChar: 'intl', ZipArchive: 'zip' },
  ...{
    SoapClient: 'soap',
    SoapServer: 'soap',
    AMQPConnection: 'amqp',
    'MongoDB\\Driver\\Manager': 'mongodb',
  },
};

/** How to install the extension that a message of PHP misses, as what follows the message. Empty: it misses none. Pure. */
export function adviseExtension(message: string): string {
  const extension = findExtension(message);
  return extension === null ? '' : `; add ${extension} to \`extensions\``;
}

function findExtension(message: string): string | null {
  if (message.includes('could not find driver')) {
    const driver = /\b(mysql|pgsql)\b/.exec(message)?.[1];
    return driver ? `\`pdo_${driver}\`` : '`pdo_mysql` or `pdo_pgsql`';
  }
  // Code in a namespace that names neither: PHP puts the namespace before the name.
  const called = /Call to undefined function (?:\w+\\)*(\w+)\(/.exec(message)?.[1];
  const found = called === undefined ? undefined : FUNCTIONS.find(([pattern]) => pattern.test(called));
  const prefix = called?.split('_', 1)[0] ?? '';
  const name = /Class ["']([\w\\]+)["'] not found/.exec(message)?.[1] ?? '';
  const extension = found
    ? found[1] || (NAMES[prefix] ?? prefix)
    : (CLASSES[name] ?? CLASSES[name.split('\\').at(-1) ?? '']);
  return extension === undefined ? null : `\`${extension}\``;
}
