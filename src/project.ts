import manifest from '../package.json' with { type: 'json' };

/** Where the project lives, `https://github.com/OWNER/NAME`: package.json is the one place that names the owner. */
export const REPOSITORY_URL = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
