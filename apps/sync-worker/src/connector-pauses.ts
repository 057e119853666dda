/** Delays the next job of a connector that has just started one. */
export class ConnectorPauses {
  /** Connectors in a pause, and whether a job waits for its end. */
  private readonly pauses = new Map<string, { isAwaited: boolean }>();

  /** `onEnd` is called when a pause ends that has delayed a job. */
  constructor(private readonly onEnd: () => void) {}

  begin(connectorId: string, milliseconds: number): void {
    const pause = { isAwaited: false };
    this.pauses.set(connectorId, pause);
    setTimeout(() => {
      this.pauses.delete(connectorId);
      if (pause.isAwaited) this.onEnd();
    }, milliseconds).unref();
  }

  /** Returns whether a job of the connector must wait. */
  delays(connectorId: string): boolean {
    const pause = this.pauses.get(connectorId);
    if (pause) pause.isAwaited = true;
    return pause !== undefined;
  }
}
