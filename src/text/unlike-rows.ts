interface Row {
  label: string;
  model: 'per-request' | 'long-lived';
  app: string;
  php: string;
}

/**
 * Why the functions of two rows are not compared; null: they are. Late samples of a server that keeps the app fall on other
 * functions than those of a server that starts it for each request.
 */
export function explainUnlike(first: Row, second: Row): string | null {
  if (first.model !== second.model) return `${manner(first)}, and ${manner(second)}`;
  if (first.app !== second.app) return 'they run different apps';
  return first.php === second.php ? null : 'they run different versions of PHP';
}

const manner = ({ label, model }: Row): string =>
  `${label} ${model === 'long-lived' ? 'keeps the app in memory' : 'starts the app for each request'}`;
