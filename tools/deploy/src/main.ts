import { join, resolve } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { isRoot, makeSecrets } from './make-secrets';
import { writeManifests } from './manifests';
import { USER_ID } from './locations';

const HELP = `npm run manifests                     writes deploy/kubernetes/base, deploy/compose/compose.yaml and deploy/images/*/Containerfile
npm run manifests -- secrets [folder] creates the Compose file\'s missing secrets, in deploy/compose or the given folder`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

main(process.argv.slice(2));

function main([command, folder, ...more]: readonly string[]): void {
  if (command === undefined) {
    const written = writeManifests(workspaceRoot());
    return say(written.length === 0 ? 'Every manifest is up to date.' : written.join('\n'));
  }
  if (command !== 'secrets' || more.length > 0) {
    say(HELP);
    process.exitCode = command === '--help' ? 0 : 2;
    return undefined;
  }
  const made = makeSecrets(folder === undefined ? join(workspaceRoot(), 'deploy', 'compose') : resolve(folder));
  say(made.length === 0 ? 'Every secret already exists.' : made.map((file) => `made ${file}`).join('\n'));
  if (made.length > 0 && !isRoot())
    say(
      `Containers run as user ${USER_ID}: make that user the owner of the services' files (chown); run as root, this command does so itself.`,
    );
  return undefined;
}
