const name = 'idsync.sign-in';

/** Called in the tab that has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage('signed-in');
  channel.close();
}

/** Calls back when another tab of this browser has signed in. Returns the function that ends this. */
export function onSignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = listener;
  return () => channel.close();
}
