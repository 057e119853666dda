const storageName = 'idsync.portal.key';
const form = /^ipl_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/;

/** Where the key survives a reload: the tab's storage, which a browser may refuse to a page in a frame. */
type KeyStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The key of the portal link. */
export class LinkKey {
  private key: string | undefined;

  constructor(private readonly storage: () => KeyStorage) {
    this.key = this.stored((storage) => storage.getItem(storageName)) ?? undefined;
  }

  get value(): string | undefined {
    return this.key;
  }

  /** Takes the key from the fragment of an address. Returns whether it has one. */
  take(fragment: string): boolean {
    const given = fragment.replace(/^#/, '');
    if (!form.test(given)) return false;
    this.key = given;
    this.stored((storage) => storage.setItem(storageName, given));
    return true;
  }

  forget(): void {
    this.key = undefined;
    this.stored((storage) => storage.removeItem(storageName));
  }

  private stored<T>(use: (storage: KeyStorage) => T): T | undefined {
    try {
      return use(this.storage());
    } catch {
      return undefined;
    }
  }
}
