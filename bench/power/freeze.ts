/** Freezes the tool at a commit and prints the folder; it bundles, so it takes its turn like a comparison. */
import { realHost } from '../../src/host.ts';
import { freezeTool } from './tool.ts';

try {
  console.log((await freezeTool(realHost, process.argv[2] as string)).folder);
} catch (error) {
  console.error(`power: ${(error as Error).message}`);
  process.exitCode = 2;
}
