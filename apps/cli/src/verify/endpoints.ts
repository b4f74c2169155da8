import { readEndpointsFile } from '../io/endpoints-file';

/** Where a running system answers: host:port each. */
export interface Endpoints {
  readonly labeling: string;
  readonly dataPlane: string;
}

/** The addresses that a system which runs on this machine wrote into its data folder. @throws CliError when there are none */
export async function readEndpoints(cwd: string, dataDir: string): Promise<Endpoints> {
  const otherwise = 'its services with --labeling host:port --data-plane host:port';
  const { labeling, data_plane: dataPlane } = await readEndpointsFile(cwd, dataDir, ['labeling', 'data_plane'], otherwise);
  return { labeling, dataPlane };
}
