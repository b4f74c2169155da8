import { useQueryClient } from '@tanstack/react-query';

/** `meta` of the queries of a page that shows a sample: its session is the sample's. */
export const SAMPLED = { isSample: true };

export function useIsSample(): boolean {
  return useQueryClient().getDefaultOptions().queries?.meta === SAMPLED;
}
