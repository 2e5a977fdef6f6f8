# The first words of the instruction memory: the boot loader (or the ELF's loader in its place) calls them. What is
# printed ends with a NUL, then the caller goes on.
    .file "start.S" # or the linker would name the symbols after a temporary file
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    li      sp, 0xbff6fff8
    sw      ra, 4(sp)
    addi    sp, sp, -8
    call    main
    addi    sp, sp, 8
0:  csrrw   t0, 0x802, zero     # room in the console's queue?
    beqz    t0, 0b
    csrw    0x803, zero
    lw      ra, 4(sp)
    ret
    .size _start, . - _start
