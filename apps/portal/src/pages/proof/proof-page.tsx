import { Link } from 'wouter';
import { AnswerSection } from '../../conditions/answer-section';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { PAGES } from '../../pages';
import { useProofs } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import sheet from '../../theme/sheet.module.css';
import { ArchiveDepth } from './archive-depth';
import { BuildFacts } from './build-facts';
import { useBuild, useProofSteps, useSourceQuality } from './proof-page-queries';
import styles from './proof.module.css';
import { ProofSteps } from './proof-steps';
import { SourceGrid } from './source-grid';

export default function ProofPage() {
  const steps = useProofSteps();
  return (
    <>
      <div className={sheet['bar']}>
        <h1>What is proved, what is held back</h1>
      </div>
      <SourceRibbon states={steps.data === undefined ? [] : [steps.data.meta.response_semantics.response_state]} />
      <p className={sheet['note']}>
        What a service says of itself is no proof. Each line here has a check that you can make without it: begin by{' '}
        <Link href={PAGES.home.pattern}>recomputing a packet</Link>, <Link href={PAGES.verify.pattern}>verify one that you have</Link>, or
        read <Link href={PAGES.how.pattern}>how a packet comes about</Link>.
      </p>
      <div className={`${sheet['panels'] ?? ''} ${styles['page'] ?? ''}`}>
        <section className={sheet['panel']}>
          <AnswerSection
            title="What the service checks of itself"
            query={useProofs()}
            checkedUtc={({ as_of_utc: at }) => at}
            show={({ proofs }) => <ProofTable proofs={proofs} />}
          />
        </section>
        <AnswerSection
          title="Six questions, on packets ten minutes old"
          query={steps}
          checkedUtc={({ generated_at_utc: at }) => at}
          show={({ rows }) => <ProofSteps steps={rows} />}
        />
        <section className={sheet['panel']}>
          <AnswerSection
            title="How far back it goes"
            query={steps}
            checkedUtc={({ generated_at_utc: at }) => at}
            show={(preview) => <ArchiveDepth preview={preview} />}
          />
        </section>
        <section className={sheet['panel']}>
          <AnswerSection
            title="How whole its sources are, over 24 hours"
            query={useSourceQuality()}
            checkedUtc={({ as_of_utc: at }) => at}
            show={(quality) => <SourceGrid quality={quality} />}
          />
        </section>
        <section className={sheet['panel']}>
          <AnswerSection title="What runs here" query={useBuild()} show={(build) => <BuildFacts build={build} />} />
        </section>
      </div>
    </>
  );
}
