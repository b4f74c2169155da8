/** A credit that is set aside for one delivery; one of the two is called soon. */
export interface HeldCredit {
  /** The message was delivered. Charged once for a delivery, however often this is said. */
  charge(deliveryId: string): void;
  cancel(): void;
}

/** Credits of tenants, taken ahead of need. */
export interface Credits {
  /** Sets one credit aside; undefined where the tenant has none. Rejects when account cannot be asked. */
  hold(tenantId: string): Promise<HeldCredit | undefined>;
  close(): Promise<void>;
}
