// The toolkit is taken from where the tests have it: act runs a copy of this file elsewhere.
const toolkit = (path) => import(`${process.env.TOOLKIT}/@actions/${path}`);
const core = await toolkit('core/lib/core.js');
const { context, getOctokit } = await toolkit('github/lib/github.js');

const given = { github: getOctokit(core.getInput('github-token')), context, core };
const AsyncFunction = (async () => {}).constructor;
try {
  await new AsyncFunction(...Object.keys(given), core.getInput('script'))(...Object.values(given));
} catch (error) {
  core.setFailed(`Unhandled error: ${error}`);
}
