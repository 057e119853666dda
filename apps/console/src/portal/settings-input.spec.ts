import { describe, expect, it } from '@jest/globals';
import { settingsOf, settingsPatch } from './settings-input.js';

const webhook = { callback_url: 'https://x.org/hook', events: ['user.created', 'identity.*'], active: true };

describe('the settings of a webhook in the portal', () => {
  it('are sent as they were read if nothing is changed', () => {
    expect(settingsPatch(settingsOf(webhook))).toEqual({ ...webhook, filter: null });
  });

  it('has one event on each line, or separated by commas', () => {
    const input = { ...settingsOf(webhook), events: ' user.*,\n\ngroup.created ' };
    expect(settingsPatch(input).events).toEqual(['user.*', 'group.created']);
  });

  it('refuse a filter that is no JSON, before anything is sent', () => {
    expect(() => settingsPatch({ ...settingsOf(webhook), filter: '{' })).toThrow('The filter is no valid JSON.');
  });
});
