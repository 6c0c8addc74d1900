"""Work that is done beside other work: in threads, in processes, on other machines."""
