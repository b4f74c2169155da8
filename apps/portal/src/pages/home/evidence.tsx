import { ConstructionSteps } from './construction-steps';
import { DelayedPackets } from './delayed-packets';
import { OwnProofs } from './own-proofs';

/** What this service shows of itself without a key, below the check that needs nothing of it. */
export default function Evidence() {
  return (
    <>
      <DelayedPackets />
      <ConstructionSteps />
      <OwnProofs />
    </>
  );
}
