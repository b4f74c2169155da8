import { workspaceRoot } from '@market-state/launcher';
import { recordRelease, imageOf, RELEASES_FILE } from './releases';

const HELP = 'npm run release -- <commit>   records a commit as a release: an image of its contracts, and its latest migrations';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const [revision, ...more] = process.argv.slice(2);
if (revision === undefined || revision.startsWith('-') || more.length > 0) {
  say(HELP);
  process.exitCode = revision === '--help' ? 0 : 2;
} else {
  const release = recordRelease(workspaceRoot(), revision);
  say(`${release.version} is ${release.commit}: wrote ${imageOf(release)} and ${RELEASES_FILE}`);
}
