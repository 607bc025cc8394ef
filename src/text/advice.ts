/** Extensions by their functions. Those that the official images have are missing nowhere. */
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
    'Pdo\\Mysql': 'pdo_mysql',
    'Pdo\\Pgsql': 'pdo_pgsql',
  },
};

/** The app reaches its own container only: no socket of a database, and nothing that listens. PHP gives no host for some. */
const LOCAL = [
  /mysqli_sql_exception: (No such file or directory|Connection refused)|\(HY000\/2002\): (No such file or directory|Connection refused)/,
  /SQLSTATE\[HY000\] \[2002\] (No such file or directory|Connection refused)/,
  /connection to server (on socket ".*"|at "(localhost|127\.0\.0\.1|::1)".*) failed: (No such file|Connection refused)/,
];
const UNKNOWN_HOST = /getaddrinfo for (\S+) failed|could not translate host name "(.+?)" to address/;

const OUTSIDE = /Failed opening required '\/(?!app\/)/;

/** How to fix what a message of PHP shows, in words that follow it. Empty: nobody knows. Pure. */
export function advise(message: string): string {
  return adviseOn(message, (host) =>
    host === null
      ? '; set the host to the name of the service, such as `mariadb` or `postgres`: `localhost` and 127.0.0.1 are the app itself'
      : `; no running service has the name \`${host}\`: set the host to one of \`services\``,
  );
}

/** The same for a command of `prepare`, which reaches no service. A host with a dot is on the internet. */
export function adviseInBuild(message: string): string {
  return adviseOn(message, (host) =>
    host?.includes('.') ? '' : '; no service runs in a build: move the command to `set-up`',
  );
}

/** @param onHost the advice if a host is not reached; null: it is the app's own container */
function adviseOn(message: string, onHost: (host: string | null) => string): string {
  const extension = findExtension(message);
  const since = NEW_CLASS.test(message) ? ', with PHP 8.4 or newer' : '';
  if (extension !== null) return `; add ${extension} to \`extensions\`${since}`;
  if (OUTSIDE.test(message)) return TO_COPY;
  const [, mysql, postgres] = UNKNOWN_HOST.exec(message) ?? [];
  const host = mysql ?? postgres ?? null;
  return host !== null || LOCAL.some((pattern) => pattern.test(message)) ? onHost(host) : '';
}

/** The extensions have these classes since PHP 8.4. */
const NEW_CLASS = /Class ["']Pdo\\/;

const TO_COPY =
  '; the container has only the app, in /app: put the file there, and begin its path with `__DIR__`';

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
