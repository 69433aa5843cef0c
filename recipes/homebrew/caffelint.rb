# brew install --HEAD recipes/homebrew/caffelint.rb
class Caffelint < Formula
  include Language::Python::Virtualenv

  desc "Find mistakes in Caffe solvers and nets before a GPU hour is spent on them"
  homepage "https://caffelint.readthedocs.io/en/stable/"
  license "BSD-2-Clause"
  head "https://github.com/caffelint/caffelint.git", branch: "main"

  depends_on "python@3.13"

  resource "click" do
    url "https://files.pythonhosted.org/packages/source/c/click/click-8.5.1.tar.gz"
    sha256 "9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4"
  end

  resource "protobuf" do
    url "https://files.pythonhosted.org/packages/source/p/protobuf/protobuf-7.36.2.tar.gz"
    sha256 "497d0463ff3316681da6c0b9e8d06cb465d61abce00b613ab42226175644d1bb"
  end

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"caffelint", "completion", shell_parameter_format: :none)
  end

  test do
    (testpath/"solver.prototxt").write <<~EOS
      net: "net.prototxt"
      base_lr: 0.01
      lr_policy: "poly"
      power: 1
    EOS
    assert_match "poly-without-max-iter", shell_output("#{bin}/caffelint check solver.prototxt", 1)
  end
end
