import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED } from './compose/parts';
import { APP_FOLDER, argumentsOf, imageNameOf, NODE, USER_ID } from './locations';
import { commentOf } from './yaml-text';

export const BASES = 'deploy/images/bases.env';

interface Bases {
  /** Build image with Node and npm; no part of it is copied into our images. */
  readonly buildImage: string;
  /** Has Node, but no shell. */
  readonly runImage: string;
}

const PINNED = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$|^[\w./-]+@sha256:[0-9a-f]{64}$/;

/** @throws Error naming an image that is missing or not pinned */
export function readBases(root: string): Bases {
  const text = readFileSync(join(root, BASES), 'utf8');
  const baseOf = (name: string): string => {
    const image = new RegExp(`^${name}=(\\S*)$`, 'm').exec(text)?.[1] ?? '';
    if (!PINNED.test(image)) throw new Error(`${name} in ${BASES} must name an image by its sha256 digest, not "${image}".`);
    return image;
  };
  return { buildImage: baseOf('BUILD_IMAGE'), runImage: baseOf('RUN_IMAGE') };
}

const BUILD_FOLDER = '/build';
const MADE = '/image';

const inExecForm = (...words: readonly string[]): string => JSON.stringify(words).replaceAll('","', '", "');

/**
 * The apps differ only in the first stage's last step, so that a builder with a layer cache builds programs and portal
 * once.
 * @param app a service, or `migrate`
 * @param release version on the image's label
 */
export function containerfile(app: string, { buildImage, runImage }: Bases, release: string): string {
  const labels = { title: imageNameOf(app), version: release, licenses: 'Apache-2.0' };
  const folders = Object.values(SHARED).map((folder) => MADE + folder);
  return `${commentOf()}ARG BUILD_IMAGE=${buildImage}
ARG RUN_IMAGE=${runImage}

FROM \${BUILD_IMAGE} AS build
WORKDIR ${BUILD_FOLDER}
COPY . .
RUN ${inExecForm('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')}
RUN ${inExecForm('node', 'tools/bootstrap.mjs', 'prepare')}
RUN ${inExecForm('mkdir', '-p', ...folders)}
# Time of the commit in seconds since 1970, set on every file of ours.
ARG SOURCE_DATE_EPOCH
RUN ${inExecForm('node', 'tools/bundle/image-main.mjs', app, MADE + APP_FOLDER)}

FROM \${RUN_IMAGE}
LABEL ${Object.entries(labels)
    .map(([name, text]) => `org.opencontainers.image.${name}="${text}"`)
    .join(' ')}
WORKDIR ${APP_FOLDER}
COPY --from=build ${MADE}${APP_FOLDER}/ ${APP_FOLDER}/
COPY --from=build --chown=${USER_ID}:${USER_ID} ${MADE}/data/ /data/
ENV NODE_ENV=production MARKET_STATE_ROOT=${APP_FOLDER}
USER ${USER_ID}:${USER_ID}
ENTRYPOINT ${inExecForm(NODE)}
CMD ${inExecForm(...argumentsOf(app))}
`;
}
