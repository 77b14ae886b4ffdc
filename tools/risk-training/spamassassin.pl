#!/usr/bin/env perl
# SpamAssassin's points for texts, beside the engine's: spamassassin.pl TEXTS prints one number a line for the lines of
# TEXTS, each a JSON object with a text. Each text is wrapped as a mail; rules only, no network, no learning.
use strict;
use warnings;
use Encode qw(encode_utf8);
use JSON::PP qw(decode_json);
use Mail::SpamAssassin;

my $root = $ENV{KITH_SPAMASSASSIN_ROOT} // '';
my $spamassassin = Mail::SpamAssassin->new({
    rules_filename => "$root/usr/share/spamassassin",
    local_tests_only => 1, dont_copy_prefs => 1, userprefs_filename => '/dev/null',
    site_rules_filename => "$root/etc/spamassassin",
    post_config_text => "use_bayes 0\nuse_auto_whitelist 0\n",
});
$spamassassin->compile_now(0);
open(my $lines, '<:raw', $ARGV[0]) or die "$ARGV[0]: $!";
while (my $line = <$lines>) {
    my $text = decode_json($line)->{text};
    my $subject = 'message';
    if ($text =~ s/\ASubject: ([^\n]*)\n+//) { $subject = $1; }
    my $mail = "From: Sender <sender\@example.org>\nTo: Person <person\@example.org>\n"
        . "Date: Tue, 14 May 2024 10:00:00 +0000\nMessage-ID: <1\@example.org>\nMIME-Version: 1.0\n"
        . "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
        . "Subject: " . encode_utf8($subject) . "\n\n" . encode_utf8($text) . "\n";
    my $parsed = $spamassassin->parse($mail);
    my $status = $spamassassin->check($parsed);
    printf "%.3f\n", $status->get_score();
    $status->finish();
    $parsed->finish();
}
