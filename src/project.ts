import manifest from '../package.json' with { type: 'json' };

/** The project's address, `https://github.com/OWNER/NAME`: only package.json names the owner. */
export const REPOSITORY_URL = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
