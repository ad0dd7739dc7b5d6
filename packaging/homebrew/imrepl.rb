# Not tried yet: nobody has installed it with Homebrew. The archive's address and its checksum are those of a release,
# and there is no release yet.
class Imrepl < Formula
  desc "Records and replays what instant-messaging clients do"
  homepage "https://imrepl.invalid"
  url "https://imrepl.invalid/releases/imrepl-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"

  depends_on xcode: ["26.0", :build]

  uses_from_macos "libedit"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # SwiftPM has a sandbox of its own, which cannot run in that of Homebrew.
    system "make", "install", "PREFIX=#{prefix}", "RELEASE=-c release --disable-sandbox"
  end

  test do
    system bin/"imrepl", "--world", "simulated", "--no-rc", "--record", testpath/"first.pcapng",
           "-c", "client new phone", "-c", "login alice", "-c", "wait 5s"
    assert_match "verified", shell_output("#{bin}/imrepl verify #{testpath}/first.pcapng")
    assert_match "shown by", shell_output("#{bin}/imrepl help NIM-5")
  end
end
