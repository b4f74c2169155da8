import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ComposeFile } from '../compose/compose-services';
import { type Machine, mountsOf, OURS, serviceOf, type ServiceProcess, variablesHere } from '../compose/plain-process';
import { bubble, unpackedImage } from './bubble';

/**
 * A service of the Compose file out of its image: files and volumes where the file has them, ports those of this machine. A new volume
 * belongs to whom its folder in the image belongs to, as the engine of containers gives it.
 * @param images the folder of unpacked images
 */
export function imageProcess(images: string, file: ComposeFile, name: string, machine: Machine): ServiceProcess {
  const service = serviceOf(file, name);
  const image = unpackedImage(images, OURS.exec(service.image)?.[1] ?? '');
  const { secrets, volumes } = mountsOf(file, service, machine.folder);
  for (const [there, here] of volumes) {
    const { uid, gid } = statSync(join(image.root, there));
    mkdirSync(here, { recursive: true, mode: 0o755 });
    chownSync(here, uid, gid);
  }
  return bubble(image, service.command ?? [], variablesHere(name, service, machine), { readOnly: secrets, writable: volumes });
}
